/** What all buttons look like. */
const button =
  "inline-flex min-h-10 items-center gap-2 rounded-md border px-3.5 py-1.5 text-sm disabled:opacity-60";
export const mainButton = `${button} border-transparent bg-primary font-semibold text-on-primary hover:bg-primary-strong`;
export const dangerButton = `${button} border-transparent bg-danger font-semibold text-on-danger`;
export const sideButton = `${button} border-edge bg-panel hover:border-primary`;
export const iconButton = `${button} min-w-10 justify-center border-transparent px-2 hover:border-primary`;
