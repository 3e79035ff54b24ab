const longestPath = 300;

/** A path as logs may have it: what follows /approvals/ lets whoever reads it decide. */
export function loggedPath(path: string): string {
  return path.replace(/(^|\/)approvals\/.+/s, "$1approvals/…").slice(0, longestPath);
}
