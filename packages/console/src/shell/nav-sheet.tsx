import { text } from "../text/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SideNav } from "./side-nav.tsx";

/** On a phone the pages are a sheet over the page. */
export function NavSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={text.shell.navigation} onClose={onClose}>
      <SideNav isNarrow={false} onNavigate={onClose} />
    </Dialog>
  );
}
