import { viewQuery, viewSearch } from "../components/jobs/jobs-search.ts";

/** A view of the Jobs page: a name, and the query string of its address. */
export interface SavedView {
  readonly name: string;
  readonly query: string;
}

export const mostViews = 50;
export const longestName = 60;

/** What lies in a browser may be of another version or of somebody else: what is no view is left out. */
export function parseViews(kept: string | null): readonly SavedView[] {
  let found: unknown;
  try {
    found = JSON.parse(kept ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(found)) return [];
  return found
    .filter(isView)
    .map(({ name, query }) => ({ name, query: viewQuery(viewSearch(query)) }))
    .reduce<readonly SavedView[]>(
      (views, each) => (refusal(views, each) === null ? withView(views, each) : views),
      [],
    );
}

/** With this one in the place of whichever had its name or showed the same; else at the end. */
export function withView(views: readonly SavedView[], { name, query }: SavedView): readonly SavedView[] {
  const isReplaced = (each: SavedView) => each.name === name || each.query === query;
  const place = views.findIndex(isReplaced);
  if (place === -1) return [...views, { name, query }];
  const others = views.filter((each) => !isReplaced(each));
  return [...others.slice(0, place), { name, query }, ...others.slice(place)];
}

/** Why a view cannot be saved; null when it can. */
export function refusal(views: readonly SavedView[], view: SavedView): "unnamed" | "long" | "full" | null {
  if (view.name.trim() === "") return "unnamed";
  if ([...view.name].length > longestName) return "long";
  return withView(views, view).length > mostViews ? "full" : null;
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== "object" || value === null) return false;
  const { name, query } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === "string" && typeof query === "string";
}
