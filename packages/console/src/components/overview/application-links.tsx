import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../api/me-api.ts";
import { text } from "../../text/text.ts";

/** Where else to go from here, if the server was told. It has checked that the addresses are safe to open. */
export function ApplicationLinks() {
  const links = useQuery(meQuery).data?.server.links ?? [];
  if (links.length === 0) return null;
  return (
    <nav
      aria-label={text.overview.applications}
      className="mb-4 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-table"
    >
      <span aria-hidden className="text-muted">
        {text.overview.applications}
      </span>
      <ul className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
        {links.map(({ title, url }) => (
          <li key={`${title} ${url}`} className="min-w-0">
            <a
              href={url}
              rel="noopener"
              className="inline-block max-w-full rounded py-0.5 break-words text-primary hover:underline"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
