// The explorer: c(P) of a small matrix while its probabilities are dragged. Plain floating point, nothing rigorous.
"use strict";
(() => {
  const byId = (name) => document.getElementById("explorer-" + name);
  const examples = JSON.parse(byId("examples").textContent);
  const colors = { descent: "#767676", closed: "#b35900", optimum: "#0072b2", yours: "#00805e" };
  let state = null;

  // The largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
  function top(matrix) {
    const a = matrix.map((row) => row.slice());
    const n = a.length;
    for (let sweep = 0; sweep < 40; sweep += 1) {
      let off = 0, all = 0;
      for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) { all += a[i][j] ** 2; if (i !== j) off += a[i][j] ** 2; }
      if (off <= 1e-26 * all) break;
      for (let i = 0; i < n; i += 1) for (let j = i + 1; j < n; j += 1) {
        if (a[i][j] === 0) continue;
        const theta = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1), s = t * c;
        for (let k = 0; k < n; k += 1) { const x = a[k][i], y = a[k][j]; a[k][i] = c * x - s * y; a[k][j] = s * x + c * y; }
        for (let k = 0; k < n; k += 1) { const x = a[i][k], y = a[j][k]; a[i][k] = c * x - s * y; a[j][k] = s * x + c * y; }
      }
    }
    return Math.max(...a.map((row, i) => row[i]));
  }

  const perCoordinate = (problem, p) => problem.sizes.flatMap((size, k) => Array(size).fill(p[k]));
  function weighted(problem, p) {
    const root = perCoordinate(problem, p).map((value) => 1 / Math.sqrt(value));
    return top(problem.L.map((row, i) => row.map((value, j) => root[i] * value * root[j])));
  }
  // c_M: block (k, l) of E[CLC] is ratio(k, l) L_kl, with ratio = p_kl / (p_k p_l).
  function costByMoment(problem, p, ratio) {
    const label = problem.sizes.flatMap((size, k) => Array(size).fill(k));
    return top(problem.L.map((row, i) => row.map((value, j) => ratio(label[i], label[j]) * value))) * stepCost(problem, p);
  }
  const nested = (problem, p) => costByMoment(problem, p, (k, l) => 1 / Math.max(p[k], p[l]));
  const independent = (problem, p) => costByMoment(problem, p, (k, l) => (k === l ? 1 / p[k] : 1));
  const stepCost = (problem, p) => p.reduce((sum, value, k) => sum + value * problem.costs[k], problem.overhead);
  const total = (problem, p) => weighted(problem, p) * stepCost(problem, p);

  // The dual by a fixed point: V_k <- sqrt(c_k) (LV)_k / |(LV)_k|; then q_k = <V_k, (LV)_k> / c_k. An overhead is shared
  // among the blocks, and moves to those with the largest q_k, the longer the slower.
  function optimum(problem) {
    const d = problem.L.length, r = Math.ceil(Math.sqrt(2 * problem.sizes.length)) + 2, B = problem.sizes.length;
    let seed = 1;
    const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647 - 0.5; };
    let V = Array.from({ length: d }, () => Array.from({ length: r }, random));
    let q = problem.costs.map(() => 1), share = problem.costs.map(() => problem.overhead / B);
    let best = problem.descent, least = total(problem, best);
    const consider = (p) => { const value = total(problem, p); if (value < least) { least = value; best = p; } };
    consider(problem.closed);
    const steps = problem.overhead > 0 ? 6000 : 3000;
    for (let step = 1; step <= steps; step += 1) {
      const W = problem.L.map((row) => {
        const out = Array(r).fill(0);
        row.forEach((value, j) => { if (value !== 0) for (let m = 0; m < r; m += 1) out[m] += value * V[j][m]; });
        return out;
      });
      let start = 0;
      problem.sizes.forEach((size, k) => {
        const cost = problem.costs[k] + share[k];
        let norm = 0, inner = 0;
        for (let i = start; i < start + size; i += 1) for (let m = 0; m < r; m += 1) { norm += W[i][m] ** 2; inner += V[i][m] * W[i][m]; }
        q[k] = inner / cost;
        const scale = norm > 0 ? Math.sqrt(cost / norm) : 0;
        for (let i = start; i < start + size; i += 1) V[i] = W[i].map((value) => value * scale);
        start += size;
      });
      const largest = Math.max(...q);
      if (problem.overhead > 0) {
        const weights = share.map((value, k) => value * Math.exp((2 / Math.sqrt(step)) * (q[k] / largest - 1)));
        const sum = weights.reduce((a, b) => a + b, 0);
        share = weights.map((value) => Math.max((problem.overhead * value) / sum, 1e-12 * problem.overhead));
      }
      if (step % (steps / 20) === 0) consider(q.map((value) => Math.max(value / largest, 1e-4)));
    }
    return best;
  }

  function prepare(L, sizes, costs, overhead, known) {
    const d = L.length;
    const problem = { L, sizes, costs: costs || sizes.map((size) => size / d), overhead };
    let start = 0;
    const tops = sizes.map((size) => {
      const block = L.slice(start, start + size).map((row) => row.slice(start, start + size));
      start += size;
      return top(block);
    });
    const raw = tops.map((value, k) => Math.sqrt(value / problem.costs[k]));
    problem.descent = sizes.map(() => 1);
    problem.closed = raw.map((value) => Math.max(value / Math.max(...raw), 1e-4));
    problem.known = costs || overhead ? null : known;
    problem.optimum = problem.known ? known.p : optimum(problem);
    problem.p = problem.closed.slice();
    // Without overhead one block at a time, p_k = L_k / sum L_k, costs sum c_k L_k, and no sampling costs less.
    const sum = tops.reduce((a, b) => a + b, 0);
    const shares = tops.map((value) => value / sum);
    problem.single = sum * stepCost(problem, shares);
    problem.independent = independent(problem, shares);
    return problem;
  }

  // Numbers as --costs takes them: decimals, or fractions such as 1/3.
  function positive(word, name) {
    const [numerator, denominator, ...rest] = word.split("/").map(Number);
    const value = denominator === undefined ? numerator : numerator / denominator;
    if (rest.length || !(value > 0) || !Number.isFinite(value)) throw new Error(`${name} must be positive numbers such as 0.5 or 1/3; "${word}" is none`);
    return value;
  }

  function blockSizes(text, d) {
    const words = text.trim().toLowerCase().split(/[\s,;]+/).filter(Boolean);
    if (words.length === 1 && words[0] === "each") return Array(d).fill(1);
    const repeated = words.length === 1 && /^(\d+)x(\d+)$/.exec(words[0]);
    const sizes = repeated ? Array(Math.min(Number(repeated[1]), 61)).fill(Number(repeated[2])) : words.map(Number);
    if (!sizes.length || sizes.some((size) => !Number.isInteger(size) || size < 1)) throw new Error('blocks must be sizes such as 2,3, or 6x8 for six blocks of eight, or "each"');
    const sum = sizes.reduce((a, b) => a + b, 0);
    if (sum !== d) throw new Error(`the block sizes add up to ${sum}; the matrix has ${d} rows`);
    return sizes;
  }

  function blockCosts(text, B) {
    const words = text.trim().toLowerCase().split(/[\s,;]+/).filter(Boolean);
    if (!words.length || (words.length === 1 && words[0] === "size")) return null;
    if (words.length === 1 && words[0] === "equal") return Array(B).fill(1 / B);
    if (words.length !== B) throw new Error(`one cost for each of the ${B} blocks is needed, or "size", or "equal"; there are ${words.length}`);
    return words.map((word) => positive(word, "costs"));
  }

  function parse(known) {
    const lines = byId("matrix").value.trim().split(/\n+/).filter(Boolean);
    if (!lines.length) throw new Error("paste a matrix, one row a line");
    const L = lines.map((line) => line.trim().split(/[\s,;]+/).map(Number));
    const d = L.length;
    if (d > 60) throw new Error("at most 60 rows; rpttheory compare takes larger ones");
    if (L.some((row) => row.length !== d || row.some((value) => !Number.isFinite(value)))) throw new Error("a square of " + d + " rows of " + d + " numbers is needed");
    if (L.some((row, i) => row.some((value, j) => Math.abs(value - L[j][i]) > 1e-9 * (Math.abs(value) + Math.abs(L[j][i]))))) throw new Error("the matrix must be symmetric");
    if (top(L.map((row) => row.map((value) => -value))) > 1e-9 * top(L)) throw new Error("the matrix must be positive semidefinite");
    if (L.some((row, i) => row[i] <= 0)) throw new Error("the diagonal must be positive");
    const sizes = blockSizes(byId("sizes").value, d);
    const text = byId("overhead").value.trim();
    const overhead = text === "" || Number(text) === 0 ? 0 : positive(text, "the overhead");
    const problem = prepare(L, sizes, blockCosts(byId("costs").value, sizes.length), overhead, known);
    problem.fields = Object.fromEntries(["choice", "matrix", "sizes", "costs", "overhead"].map((name) => [name, byId(name).value.trim()]));
    return problem;
  }

  // The state is in the link: the number of an example or a matrix, and what is not as by default.
  function save() {
    const { fields, p } = state, link = new URLSearchParams();
    if (fields.matrix === rowsOf(examples[Number(fields.choice)])) link.set("example", fields.choice);
    else link.set("matrix", fields.matrix.split(/\n+/).map((line) => line.trim().replace(/[\s,;]+/g, ",")).join(";"));
    ["sizes", "costs", "overhead"].forEach((name) => { if (fields[name]) link.set(name, fields[name]); });
    link.set("p", p.map((value) => Number(value.toPrecision(4))).join(","));
    window.history.replaceState(null, "", "#" + link);
  }

  function load() {
    const link = new URLSearchParams(window.location.hash.slice(1));
    if (!link.has("example") && !link.has("matrix")) return false;
    if (examples[Number(link.get("example"))]) byId("choice").value = Number(link.get("example"));
    show();
    if (link.has("matrix")) byId("matrix").value = link.get("matrix").replace(/;/g, "\n").replace(/,/g, " ");
    ["sizes", "costs", "overhead"].forEach((name) => { byId(name).value = link.get(name) || ""; });
    take(fromFields);
    const p = (link.get("p") || "").split(",").map(Number);
    if (state && p.length === state.p.length && p.every((value) => value > 0 && value <= 1)) { state.p = p; sliders(); }
    return true;
  }

  const shown = (value) => (value === 0 ? "0" : Number(value.toPrecision(5)).toString());
  function element(name, attributes, text) {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function draw() {
    const { p } = state;
    const Lp = weighted(state, p), cost = stepCost(state, p), yours = Lp * cost;
    byId("numbers").replaceChildren(...[["L_P", Lp], ["expected cost of a step", cost], ["c(P)", yours]].map(([name, value]) => {
      const box = element("div", {});
      box.append(element("span", {}, name), element("strong", {}, shown(value)));
      return box;
    }));
    const best = state.known ? state.known.high : total(state, state.optimum);
    const rows = [["gradient descent", total(state, state.descent), "descent"], ["closed form", total(state, state.closed), "closed"],
      [state.known ? "certified optimum" : "optimum, not certified", best, "optimum"], ["yours", yours, "yours"]];
    const samplings = [["one block at a time", state.single, "closed"], ["independent", state.independent, "optimum"],
      ["nested, yours", nested(state, p), "yours"]];
    const widest = Math.max(...[...rows, ...samplings].map((row) => row[1]));
    const bars = (some) => some.map(([name, value, kind]) => {
      const line = element("div", { class: "explorer-row" });
      const bar = element("div", { class: "explorer-bar " + kind, style: `width:${(60 * value) / widest}%;background-color:${colors[kind]}` });
      line.append(element("span", { class: "explorer-name" }, name), bar, element("span", {}, shown(value)));
      return line;
    });
    const title = (text) => element("p", { class: "explorer-title" }, text);
    byId("chart").replaceChildren(title("c(P)"), ...bars(rows), title(state.overhead ? "c_M" : "c_M: no sampling costs less than one block at a time"), ...bars(samplings));
    byId("words").textContent = `Your choice costs ${shown(yours / rows[0][1])} of gradient descent and ${shown(yours / best)} times the optimum (not rigorous).`;
    save();
  }

  function sliders() {
    byId("sliders").replaceChildren(...state.p.map((value, k) => {
      const line = element("div", { class: "explorer-row" });
      const label = element("label", { class: "explorer-name", for: "explorer-p" + k }, `p of block ${k} (${state.sizes[k]})`);
      const input = element("input", { type: "range", id: "explorer-p" + k, min: -4, max: 0, step: 0.001, value: Math.log10(value) });
      const output = element("output", { for: "explorer-p" + k }, value.toFixed(4));
      input.addEventListener("input", () => { state.p[k] = 10 ** Number(input.value); output.textContent = state.p[k].toFixed(4); draw(); });
      line.append(label, input, output);
      return line;
    }));
    draw();
  }

  function take(make) {
    try { state = make(); byId("error").textContent = ""; sliders(); } catch (error) { byId("error").textContent = error.message; }
  }
  const rowsOf = (one) => one.L.map((row) => row.join(" ")).join("\n");
  function show() {
    const one = examples[Number(byId("choice").value)];
    byId("matrix").value = rowsOf(one);
    byId("sizes").value = one.sizes.join(",");
    byId("costs").value = byId("overhead").value = "";
  }
  // The optimum of an example is certified for its own blocks.
  function fromFields() {
    const one = examples[Number(byId("choice").value)];
    const unchanged = byId("matrix").value.trim() === rowsOf(one) && blockSizes(byId("sizes").value, one.L.length).join() === one.sizes.join();
    return parse(unchanged ? one.optimum : null);
  }
  byId("choice").replaceChildren(...examples.map((one, index) => element("option", { value: index }, one.name)));
  byId("choice").addEventListener("change", () => { show(); take(fromFields); });
  byId("take").addEventListener("click", () => take(fromFields));
  document.querySelectorAll("#explorer [data-set]").forEach((button) => button.addEventListener("click", () => { state.p = state[button.dataset.set].slice(); sliders(); }));
  if (!load()) { show(); take(fromFields); }
})();
