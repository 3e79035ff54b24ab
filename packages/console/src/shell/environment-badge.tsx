import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../api/me-api.ts";
import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";

/** Which of several environments this is, so that nobody mistakes one for another. */
export function EnvironmentBadge({ className }: { readonly className?: string }) {
  const environment = useQuery(meQuery).data?.server.environment ?? null;
  if (environment === null) return null;
  return (
    <span
      title={text.shell.environment(environment)}
      className={cn(
        "max-w-40 shrink-0 truncate rounded-full border border-paused/60 px-2.5 py-0.5 text-xs font-medium text-paused",
        className,
      )}
    >
      {environment}
    </span>
  );
}
