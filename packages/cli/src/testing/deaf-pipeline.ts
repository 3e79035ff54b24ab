import { definePipeline } from "lockstep";

/** Its handler hears no signal, and keeps its process alive. */
export const deaf = definePipeline("deaf").stage(
  "hold",
  () =>
    new Promise(() => {
      setInterval(() => {}, 1_000);
    }),
);
