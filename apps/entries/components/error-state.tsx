import { TriangleAlert } from "lucide-react";
import { problemOf } from "../hooks/entries-api.ts";
import { sideButton } from "./button.ts";

export function ErrorState(props: { error: Error; hasOldData: boolean; onRetry(): void }) {
  const { error, hasOldData, onRetry } = props;
  return (
    <div
      role="alert"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-[10px] border border-danger bg-panel px-4 py-3 text-sm text-danger"
    >
      <TriangleAlert aria-hidden className="size-5" />
      <p>
        {problemOf(error)} {hasOldData ? "What you see may be old." : ""} Trying again by itself.
      </p>
      <button type="button" className={`${sideButton} ml-auto`} onClick={onRetry}>
        Try now
      </button>
    </div>
  );
}
