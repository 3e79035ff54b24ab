/** The keys of a JSON pointer; `*` stands for any key or index. */
export function keysOf(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A key as it stands in a JSON pointer. */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

// What of a job comes from its caller and its handlers.
const roots = ["payload", "outputs", "result", "progress", "error", "attempts", "effects", "streams"];

/** What is wrong with a list of pointers, to follow a setting's name; null when nothing is. */
export function pointerComplaint(value: unknown): string | null {
  const expected = 'must be a list of JSON pointers such as "/payload/card/number"';
  if (!Array.isArray(value)) return expected;
  for (const pointer of value) {
    if (typeof pointer !== "string" || !/^(\/([^~/]|~0|~1)+)+$/.test(pointer)) return expected;
    const [root = ""] = keysOf(pointer);
    if (!roots.includes(root)) {
      return `has "${pointer}", which begins with none of ${roots.map((name) => `/${name}`).join(", ")}`;
    }
  }
  return null;
}
