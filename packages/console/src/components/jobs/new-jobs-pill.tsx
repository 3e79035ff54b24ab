import { ArrowUp } from "lucide-react";
import { useNewJobs } from "../../live/new-jobs.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";

export interface NewJobsPillProps {
  readonly isShown: boolean;
  readonly onShow: () => void;
}

/** How many jobs have come since the list was read: rows do not move under a reader's eyes. */
export function NewJobsPill({ isShown, onShow }: NewJobsPillProps) {
  const count = useNewJobs();
  if (!isShown || count === 0) return null;
  return (
    <div className="border-b bg-selected px-4 py-1.5 text-center">
      <Button look="quiet" size="small" onClick={onShow} className="text-primary">
        <ArrowUp size={14} aria-hidden /> {text.jobs.newJobs(count)}
      </Button>
    </div>
  );
}
