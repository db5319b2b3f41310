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
  const stepCost = (problem, p) => p.reduce((sum, value, k) => sum + value * problem.costs[k], 0);
  const total = (problem, p) => weighted(problem, p) * stepCost(problem, p);

  // The dual by a fixed point: V_k <- sqrt(c_k) (LV)_k / |(LV)_k|; then q_k = <V_k, (LV)_k> / c_k.
  function optimum(problem) {
    const d = problem.L.length, r = Math.ceil(Math.sqrt(2 * problem.sizes.length)) + 2;
    let seed = 1;
    const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647 - 0.5; };
    let V = Array.from({ length: d }, () => Array.from({ length: r }, random));
    let q = problem.costs.map(() => 1);
    for (let step = 0; step < 3000; step += 1) {
      const W = problem.L.map((row) => {
        const out = Array(r).fill(0);
        row.forEach((value, j) => { if (value !== 0) for (let m = 0; m < r; m += 1) out[m] += value * V[j][m]; });
        return out;
      });
      let start = 0;
      problem.sizes.forEach((size, k) => {
        let norm = 0, inner = 0;
        for (let i = start; i < start + size; i += 1) for (let m = 0; m < r; m += 1) { norm += W[i][m] ** 2; inner += V[i][m] * W[i][m]; }
        q[k] = inner / problem.costs[k];
        const scale = norm > 0 ? Math.sqrt(problem.costs[k] / norm) : 0;
        for (let i = start; i < start + size; i += 1) V[i] = W[i].map((value) => value * scale);
        start += size;
      });
    }
    const largest = Math.max(...q);
    return q.map((value) => Math.max(value / largest, 1e-4));
  }

  function prepare(L, sizes, known) {
    const d = L.length;
    const problem = { L, sizes, costs: sizes.map((size) => size / d) };
    let start = 0;
    const tops = sizes.map((size) => {
      const block = L.slice(start, start + size).map((row) => row.slice(start, start + size));
      start += size;
      return top(block);
    });
    const raw = tops.map((value, k) => Math.sqrt(value / problem.costs[k]));
    problem.descent = sizes.map(() => 1);
    problem.closed = raw.map((value) => Math.max(value / Math.max(...raw), 1e-4));
    problem.optimum = known ? known.p : optimum(problem);
    problem.known = known;
    problem.p = problem.closed.slice();
    // Without overhead one block at a time, p_k = L_k / sum L_k, costs sum c_k L_k, and no sampling costs less.
    const sum = tops.reduce((a, b) => a + b, 0);
    const shares = tops.map((value) => value / sum);
    problem.single = sum * stepCost(problem, shares);
    problem.independent = independent(problem, shares);
    return problem;
  }

  function parse() {
    const lines = byId("matrix").value.trim().split(/\n+/);
    const L = lines.map((line) => line.trim().split(/[\s,;]+/).map(Number));
    const d = L.length;
    if (d > 60) throw new Error("at most 60 rows; rpttheory compare takes larger ones");
    if (L.some((row) => row.length !== d || row.some((value) => !Number.isFinite(value)))) throw new Error("a square of " + d + " rows of " + d + " numbers is needed");
    if (L.some((row, i) => row.some((value, j) => Math.abs(value - L[j][i]) > 1e-9 * (Math.abs(value) + Math.abs(L[j][i]))))) throw new Error("the matrix must be symmetric");
    if (top(L.map((row) => row.map((value) => -value))) > 1e-9 * top(L)) throw new Error("the matrix must be positive semidefinite");
    if (L.some((row, i) => row[i] <= 0)) throw new Error("the diagonal must be positive");
    const sizes = byId("sizes").value.split(/[\s,]+/).filter(Boolean).map(Number);
    if (sizes.some((size) => !Number.isInteger(size) || size < 1) || sizes.reduce((a, b) => a + b, 0) !== d) throw new Error("block sizes must add up to " + d);
    return prepare(L, sizes, null);
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
    byId("chart").replaceChildren(title("c(P)"), ...bars(rows), title("c_M: no sampling costs less than one block at a time"), ...bars(samplings));
    byId("words").textContent = `Your choice costs ${shown(yours / rows[0][1])} of gradient descent and ${shown(yours / best)} times the optimum (not rigorous).`;
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
  byId("choice").replaceChildren(...examples.map((one, index) => element("option", { value: index }, one.name)));
  const chosen = () => { const one = examples[Number(byId("choice").value)]; return prepare(one.L, one.sizes, one.optimum); };
  byId("choice").addEventListener("change", () => take(chosen));
  byId("take").addEventListener("click", () => take(parse));
  document.querySelectorAll("#explorer [data-set]").forEach((button) => button.addEventListener("click", () => { state.p = state[button.dataset.set].slice(); sliders(); }));
  take(chosen);
})();
