// What a screen reader is told: some things are named otherwise than they show themselves, and the gallery's links are hidden.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".sphx-glr-thumbcontainer a").forEach((link) => link.setAttribute("aria-label", link.textContent));
  document.querySelectorAll(".search-button-field, summary[aria-label]").forEach((named) => {
    if (named.innerText.trim()) named.removeAttribute("aria-label");
  });
  // A paragraph that scrolls on a narrow screen can be scrolled by the keyboard, too.
  document.querySelectorAll(".bd-article p, .bd-article dd").forEach((text) => { if (text.scrollWidth > text.clientWidth) text.tabIndex = 0; });
});
