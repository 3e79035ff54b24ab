/** What is compiled for publishing, in this order: each against the declarations of those before it. */
export const compiledPackages = [
  "packages/database",
  "packages/local-postgres",
  "packages/engine",
  "packages/server",
  "packages/cli",
  "packages/testing",
];

/** All that is published. */
export const publishedPackages = [...compiledPackages, "packages/console"];
