import type { ReactNode } from "react";

export function EmptyState({ children }: { children: ReactNode }) {
  return (
    <Frame title="No entries yet">
      <p className="mt-1 mb-6 text-sm text-slate-600 dark:text-slate-400">
        Create your first entry and watch it move through three stages.
      </p>
      {children}
    </Frame>
  );
}

export function NothingFound({ search }: { search: string }) {
  return (
    <Frame title="No entry matches">
      <p className="mt-1 text-sm wrap-anywhere text-slate-600 dark:text-slate-400">
        No title contains “<bdi>{search}</bdi>”.
      </p>
    </Frame>
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed border-slate-300 px-4 py-16 text-center dark:border-slate-700">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}
