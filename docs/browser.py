"""Opens the built site in Chromium, page by page: `.venv/bin/python docs/browser.py --axe FILE
[--pictures FOLDER]`.

Every page, light and wide or dark and narrow: no error in the console, nothing asked of a network,
nothing wider than the window, and no serious violation of the rules of axe-core. The search finds a
lemma, and the explorer answers.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, sync_playwright

SITE = Path(__file__).parent / "_build" / "html"
FLAGS = (
    "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
    " disable-component-update"
)
VIEWS = {"light": {"width": 1600, "height": 1000}, "dark": {"width": 400, "height": 900}}
# These are looked at both ways; of the others, every second one each way.
BOTH = (
    "index",
    "quickstart",
    "explorer",
    "ledger/index",
    "ledger/lem-key_quantity",
    "pictures/index",
    "theory/sdp",
)
SERIOUS = (
    "async () => (await axe.run(document, {resultTypes: ['violations'], preload:"
    " false})).violations"
)


def faults(page: Page, path: Path, axe: str) -> list[str]:
    """What is wrong with one page."""
    found: list[str] = []
    heard = {
        "console": lambda message: (
            found.append(f"console: {message.text}") if message.type == "error" else None
        ),
        "pageerror": lambda error: found.append(f"script: {error}"),
        "request": lambda request: (
            found.append(f"asks {request.url}") if request.url.startswith("http") else None
        ),
    }
    for event, hear in heard.items():
        page.on(event, hear)
    page.goto(path.as_uri())
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    if wide > 0:
        found.append(f"{wide} px wider than the window")
    page.evaluate(axe)
    violations: list[dict[str, Any]] = page.evaluate(SERIOUS)
    for violation in violations:
        if violation["impact"] in ("serious", "critical"):
            where = ", ".join(str(node["target"]) for node in violation["nodes"][:3])
            found.append(f"{violation['impact']}: {violation['id']} at {where}")
    for event, hear in heard.items():
        page.remove_listener(event, hear)
    return found


def uses(page: Page) -> list[str]:
    """What a reader does beyond reading."""
    page.goto((SITE / "search.html").as_uri() + "?q=key_quantity")
    wrong = []
    try:
        page.wait_for_selector(
            "#search-results li a[href*='ledger/lem-key_quantity']", timeout=60_000
        )
    except PlaywrightError:
        wrong.append(f"search: key_quantity finds {page.inner_text('#search-results')[:200]!r}")
    page.goto((SITE / "explorer.html").as_uri())
    numbers = []
    for choice in ("descent", "closed", "optimum"):
        page.click(f"[data-set={choice}]")
        numbers.append(page.inner_text("#explorer-numbers div:last-child strong"))
    if [round(float(text), 2) for text in numbers] != [
        4.42,
        3.73,
        3.7,
    ]:  # as compare says of the first example
        wrong.append(f"explorer: {numbers}")
    page.click("summary")
    page.fill("#explorer-matrix", "1 2\n3 4")
    page.click("#explorer-take")
    if "symmetric" not in page.inner_text("#explorer-error"):
        wrong.append("explorer: an asymmetric matrix is taken")
    least = []
    page.fill("#explorer-matrix", "9 2 0.5\n2 4 0.5\n0.5 0.5 1")
    for sizes, costs, overhead in (("each", "", ""), ("3x1", "1,2,1/2", "1")):
        page.fill("#explorer-sizes", sizes)
        page.fill("#explorer-costs", costs)
        page.fill("#explorer-overhead", overhead)
        page.click("#explorer-take")
        page.click("[data-set=optimum]")
        least.append(round(float(page.inner_text("#explorer-numbers div:last-child strong")), 2))
    if least != [6.67, 36.5]:  # as optimal_probabilities says of both
        wrong.append(f"explorer: {least}")
    page.goto("about:blank")
    page.go_back()
    again = page.inner_text("#explorer-numbers div:last-child strong")
    if float(again) != least[-1] or page.input_value("#explorer-costs") != "1,2,1/2":
        wrong.append(f"explorer: the link does not keep the state: {again}")
    return wrong


def main() -> int:
    """Every page; the number of faults decides."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--axe", type=Path, required=True, help="axe.min.js, from npm's axe-core")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument(
        "--pictures",
        type=Path,
        help="a folder for pictures of the pages that are looked at both ways",
    )
    options = parser.parse_args()
    axe = options.axe.read_text(encoding="utf-8")
    pages = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)
    count = 0
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=options.chromium, args=[f"--{flag}" for flag in FLAGS.split()]
        )
        for turn, (scheme, size) in enumerate(VIEWS.items()):
            page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            for number, path in enumerate(pages):
                name = path.relative_to(SITE).with_suffix("").as_posix()
                if name not in BOTH and number % 2 != turn:
                    continue
                wrong = faults(page, path, axe)
                if options.pictures and name in BOTH:
                    options.pictures.mkdir(exist_ok=True)
                    page.screenshot(
                        path=options.pictures / f"{name.replace('/', '-')}-{scheme}.png",
                        full_page=True,
                    )
                count += len(wrong)
                for words in wrong:
                    print(f"{name} ({scheme}, {size['width']} px): {words}")
        wrong = uses(browser.new_context(viewport=VIEWS["light"]).new_page())
        print(*wrong, f"{len(pages)} pages, {count + len(wrong)} faults", sep="\n")
        browser.close()
    return 1 if count + len(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
