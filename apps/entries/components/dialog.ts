/** What all dialogs look like. */
export const dialogOverlay = "fixed inset-0 z-20 bg-page/80";
export const dialogPanel =
  "fixed top-1/2 left-1/2 z-20 w-[min(28rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-[10px] border border-line bg-raised p-6 shadow-(--shadow-float)";
