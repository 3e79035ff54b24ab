/** For attempts that write none. */
export const noStreams = {
  add: () => {},
  continue: () => Promise.reject(new Error("Nothing streams here.")),
};
