import { sideButton } from "./button.ts";

interface PagerProps {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  onOffset(offset: number): void;
}

export function Pager({ limit, offset, total, onOffset }: PagerProps) {
  const last = Math.min(offset + limit, total);
  return (
    <nav aria-label="Pages" className="mt-4 flex items-center gap-3 text-sm">
      <button
        type="button"
        className={sideButton}
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - limit))}
      >
        Newer
      </button>
      <button
        type="button"
        className={sideButton}
        disabled={last >= total}
        onClick={() => onOffset(offset + limit)}
      >
        Older
      </button>
      <span>
        {offset + 1}–{last} of {total}
      </span>
    </nav>
  );
}
