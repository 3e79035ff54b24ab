/** A name that a schedule here can have, made of what another queue calls it. */
export function scheduleName(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .join(":")
    .replace(/[^A-Za-z0-9_.:-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
}
