export const projectKinds = ["node", "next", "nest", "express", "fastify"] as const;
export type ProjectKind = (typeof projectKinds)[number];

/** What of a package.json counts here. */
export interface Manifest {
  name?: string;
  type?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

// Nest stands on Express or Fastify, and so comes before them.
const signs: readonly (readonly [dependency: string, kind: ProjectKind])[] = [
  ["next", "next"],
  ["@nestjs/core", "nest"],
  ["fastify", "fastify"],
  ["express", "express"],
];

/** What a project is built with, by its dependencies. */
export function kindOf({ dependencies, devDependencies }: Manifest): ProjectKind {
  const all = { ...dependencies, ...devDependencies };
  return signs.find(([dependency]) => dependency in all)?.[1] ?? "node";
}
