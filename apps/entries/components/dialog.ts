/** What all dialogs look like. */
export const dialogOverlay = "fixed inset-0 bg-black/50";
export const dialogPanel =
  "fixed top-1/2 left-1/2 w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-lg bg-white p-6 shadow-xl dark:bg-slate-900";
