import { Bookmark, BookmarkCheck, ChevronDown } from "lucide-react";
import { useState } from "react";
import type { SavedView } from "../../settings/saved-views.ts";
import { useSavedViews } from "../../settings/view-store.ts";
import { useShortcut } from "../../shell/shortcuts.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { type JobsSearch, viewQuery, viewSearch } from "./jobs-search.ts";
import { ViewDialog } from "./view-dialog.tsx";

export interface ViewControlsProps {
  readonly search: JobsSearch;
  readonly onOpen: (search: JobsSearch) => void;
}

const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** A name for what the list shows, and what was named before. */
export function ViewControls({ search, onOpen }: ViewControlsProps) {
  const views = useSavedViews();
  const [isNaming, setNaming] = useState(false);
  const query = viewQuery(search);
  const shown = views.find((view) => view.query === query);
  const open = (view: SavedView) => onOpen(viewSearch(view.query));
  for (const [place, key] of keys.entries()) {
    useOpen(key, views[place], open);
  }
  return (
    <div className="flex min-w-0 items-center gap-2">
      <Button
        className="min-h-9.5 min-w-0"
        aria-label={shown === undefined ? undefined : text.views.change(shown.name)}
        onClick={() => setNaming(true)}
      >
        {shown === undefined ? (
          <Bookmark size={15} aria-hidden className="shrink-0" />
        ) : (
          <BookmarkCheck size={15} aria-hidden className="shrink-0 text-primary" />
        )}
        <span className="min-w-0 max-w-48 truncate">{shown?.name ?? text.views.save}</span>
      </Button>
      {views.length > 0 && (
        <Menu
          items={views.map((view, place) => ({
            label: <span className="max-w-56">{view.name}</span>,
            isChosen: view === shown,
            onSelect: () => open(view),
            ...(keys[place] === undefined ? {} : { hint: keys[place] }),
          }))}
          trigger={
            <Button className="min-h-9.5 shrink-0">
              {text.views.menu} <ChevronDown size={15} aria-hidden />
            </Button>
          }
        />
      )}
      {isNaming && <ViewDialog search={search} shown={shown} onClose={() => setNaming(false)} />}
    </div>
  );
}

function useOpen(key: string, view: SavedView | undefined, open: (view: SavedView) => void): void {
  useShortcut(key, () => view !== undefined && open(view), view !== undefined);
}
