export interface StackFrame {
  readonly call: string;
  readonly place: string;
  /** Not of a package and not of Node itself. */
  readonly isOwn: boolean;
}

/** The frames of V8's stack text. */
export function framesOf(stack: string): StackFrame[] {
  return stack
    .split("\n")
    .map((line) => /^\s*at (?:(.*) \((.*)\)|(.*))$/.exec(line))
    .filter((found) => found !== null)
    .map(([, call, place, bare = ""]) => {
      const where = shortPlace(place ?? bare);
      return {
        call: call ?? "<anonymous>",
        place: where,
        isOwn: !/node_modules|^node:|<anonymous>|\/packages\/engine\//.test(place ?? bare),
      };
    });
}

/** The folders of the machine the worker runs on say nothing; the last three do. */
function shortPlace(place: string): string {
  const path = place.replace(/^file:\/\//, "");
  const parts = path.split("/");
  return parts.length > 4 ? `…/${parts.slice(-3).join("/")}` : path;
}
