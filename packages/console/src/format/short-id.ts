/** The ends of an id: enough to tell neighbours apart. The middle of a time-ordered id is all alike. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`;
}
