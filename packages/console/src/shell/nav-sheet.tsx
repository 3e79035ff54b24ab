import { text } from "../text/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { EnvironmentBadge } from "./environment-badge.tsx";
import { SideNav } from "./side-nav.tsx";

/** On a phone the pages are a sheet over the page. */
export function NavSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={text.shell.navigation} onClose={onClose}>
      <EnvironmentBadge className="mx-2.5 inline-block" />
      <SideNav isNarrow={false} onNavigate={onClose} />
    </Dialog>
  );
}
