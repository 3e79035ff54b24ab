import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cn } from "../../ui/cn.ts";

export interface Tab {
  readonly name: string;
  readonly note?: string | undefined;
  readonly content: ReactNode;
}

export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const current = Math.min(chosen, tabs.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = (current + step + tabs.length) % tabs.length;
    setChosen(next);
    document.getElementById(`${id}-tab-${next}`)?.focus();
  };
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        className="mb-3 flex gap-1 overflow-x-auto border-b"
        onKeyDown={onKeyDown}
      >
        {tabs.map(({ name, note }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === current}
            aria-controls={`${id}-panel`}
            tabIndex={index === current ? 0 : -1}
            onClick={() => setChosen(index)}
            className={cn(
              "-mb-px h-9 border-b-2 px-2.5 whitespace-nowrap",
              index === current
                ? "border-primary font-medium"
                : "border-transparent text-muted hover:text-ink",
            )}
          >
            {name}
            {note !== undefined && <span className="ms-1.5 text-xs text-muted">{note}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${current}`}>
        {tabs[current]?.content}
      </div>
    </div>
  );
}
