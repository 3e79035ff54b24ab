import { bodyLimit } from "hono/body-limit";
import { ProblemError } from "./problem-error.ts";

/** Ends the reading of a body that goes on for too long, whatever length was announced. */
export function limitBody(limitBytes: number): ReturnType<typeof bodyLimit> {
  return bodyLimit({
    maxSize: limitBytes,
    onError: () => {
      throw new ProblemError("body.too_large", `The body is larger than ${limitBytes} bytes.`);
    },
  });
}
