/** What all buttons look like. */
const button =
  "inline-flex items-center gap-2 rounded-md px-3 py-2 text-sm font-medium focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-blue-600 disabled:opacity-50";
export const mainButton = `${button} bg-blue-700 text-white hover:bg-blue-800`;
export const dangerButton = `${button} bg-red-700 text-white hover:bg-red-800`;
export const sideButton = `${button} border border-slate-400 hover:bg-slate-100 dark:border-slate-600 dark:hover:bg-slate-800`;
export const iconButton = `${button} px-2 hover:bg-slate-100 dark:hover:bg-slate-800`;
