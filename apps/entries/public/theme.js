// Before the first picture: dark where the system is, also when that changes.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
};
dark.addEventListener("change", follow);
follow();
