/** A key as it stands in a JSON pointer. */
export function escaped(name: string): string {
  return name.replace(/~/g, "~0").replace(/\//g, "~1");
}

/** A copy without what the pointers name; undefined when one names the whole. */
export function withoutParts(value: unknown, pointers: readonly string[]): unknown {
  if (pointers.includes("")) return undefined;
  if (pointers.length === 0 || typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    const head = `/${escaped(key)}`;
    const inner = pointers.filter((pointer) => pointer === head || pointer.startsWith(`${head}/`));
    const left = withoutParts(
      part,
      inner.map((pointer) => pointer.slice(head.length)),
    );
    return left === undefined ? [] : [[key, left]];
  });
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}
