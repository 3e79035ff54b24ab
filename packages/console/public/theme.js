// Before the first paint, so that a dark room stays dark: a module would come too late.
(() => {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem("lockstep-settings") ?? "null");
  } catch {
    // Storage is off or holds something else: the system's theme will do.
  }
  const theme = kept?.theme ?? "system";
  const isDark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  document.documentElement.dataset.density = kept?.density ?? "comfortable";
})();
