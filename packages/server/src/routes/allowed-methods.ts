import type { ApiApp } from "./api-app.ts";

/** Which methods a path has, for the Allow header: none, when there is no such path. */
export function methodsByPath(api: ApiApp): (path: string) => string[] {
  const routes = api.openAPIRegistry.definitions.flatMap((definition) =>
    definition.type === "route"
      ? [{ method: definition.route.method.toUpperCase(), pattern: patternOf(definition.route.path) }]
      : [],
  );
  return (path) => {
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return methods.includes("GET") ? [...methods, "HEAD"] : methods;
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}
