// What a screen reader is told: the theme names its search field otherwise than it shows it, and hides the gallery's links.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".sphx-glr-thumbcontainer a").forEach((link) => link.setAttribute("aria-label", link.textContent));
  document.querySelectorAll(".search-button-field").forEach((button) => button.removeAttribute("aria-label"));
});
