// The theme names its search field "Search" while it shows "Search Ctrl+K": let what is seen be the name.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".search-button-field").forEach((button) => button.removeAttribute("aria-label"));
});
