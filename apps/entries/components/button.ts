/** What all buttons look like. */
const button = "inline-flex min-h-10 items-center gap-2 rounded-md border text-sm disabled:opacity-60";
const withWords = `${button} px-3.5 py-1.5`;
export const mainButton = `${withWords} border-transparent bg-primary font-semibold text-on-primary hover:bg-primary-strong`;
export const dangerButton = `${withWords} border-transparent bg-danger font-semibold text-on-danger`;
export const sideButton = `${withWords} border-edge bg-panel hover:border-primary`;
export const iconButton = `${button} min-w-10 justify-center border-transparent hover:border-primary`;
