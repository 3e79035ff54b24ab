/** What is compiled for publishing, in this order: each against the declarations of those before it. */
export const compiledPackages = [
  "packages/database",
  "packages/local-postgres",
  "packages/engine",
  "packages/server",
  "packages/client",
  "packages/react",
  "packages/ai",
  "packages/cli",
  "packages/testing",
  "packages/create-lockstep",
];

/** All that is published. */
export const publishedPackages = [...compiledPackages, "packages/console"];

/** What npm is told to pack all of them into a folder. */
export function packArguments(folder: string): string[] {
  const workspaces = publishedPackages.flatMap((path) => ["--workspace", path]);
  return ["pack", "--ignore-scripts", "--pack-destination", folder, ...workspaces];
}
