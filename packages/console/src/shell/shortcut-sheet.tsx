import { text } from "../text/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { navPages } from "./pages.ts";

const rest: [keys: string[], does: string][] = [
  [["/"], text.shortcuts.filter],
  [["Ctrl", "K"], text.shortcuts.palette],
  [["1 – 9"], text.shortcuts.view],
  [["j", "k"], text.shortcuts.row],
  [["Enter"], text.shortcuts.open],
  [["x"], text.shortcuts.select],
  [["r"], text.shortcuts.retry],
  [["c"], text.shortcuts.cancel],
  [["."], text.shortcuts.pause],
  [["t"], text.shortcuts.theme],
  [["?"], text.shortcuts.help],
  [["Esc"], text.shortcuts.close],
];

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const pages = navPages.flatMap(({ key, label }): [string[], string][] =>
    key === undefined ? [] : [[["g", key], text.shortcuts.goTo(label)]],
  );
  return (
    <Dialog title={text.shortcuts.title} onClose={onClose} isWide>
      <dl className="grid gap-x-10 sm:grid-cols-2">
        {[...pages, ...rest].map(([keys, does]) => (
          <div key={does} className="flex items-center justify-between gap-4 border-b py-1.5">
            <dt>{does}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-edge/60 bg-well px-1.5 text-center font-mono text-xs leading-5"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
