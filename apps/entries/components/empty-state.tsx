import type { ReactNode } from "react";

export function EmptyState({ children }: { children: ReactNode }) {
  return (
    <Frame title="No entries yet">
      <p className="mt-1 mb-6 text-sm text-muted">
        Create your first entry and watch it move through three stages.
      </p>
      {children}
    </Frame>
  );
}

export function NothingFound({ search }: { search: string }) {
  return (
    <Frame title="No entry matches">
      <p className="mt-1 text-sm wrap-anywhere text-muted">
        No title contains “<bdi>{search}</bdi>”.
      </p>
    </Frame>
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="rounded-[10px] border border-dashed border-edge px-4 py-16 text-center">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}
