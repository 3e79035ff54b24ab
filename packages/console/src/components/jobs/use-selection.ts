import { useEffect, useRef, useState } from "react";

/** A refetch never clears it; another list does. */
export function useSelection(list: string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAllMatching, setAllMatching] = useState(false);
  const last = useRef<string | null>(null);
  const clear = () => {
    setIds(new Set());
    setAllMatching(false);
  };
  // It is another list that clears it.
  useEffect(clear, [list]);
  return {
    ids,
    isAllMatching,
    clear,
    selectMatching: () => setAllMatching(true),
    toggle(id: string, isRange: boolean, order: readonly string[]) {
      const next = new Set(ids);
      const from = last.current === null ? -1 : order.indexOf(last.current);
      if (isRange && from !== -1) {
        const to = order.indexOf(id);
        for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
      } else if (!next.delete(id)) next.add(id);
      last.current = id;
      setAllMatching(false);
      setIds(next);
    },
    toggleAll(order: readonly string[]) {
      setAllMatching(false);
      setIds(order.every((id) => ids.has(id)) ? new Set() : new Set(order));
    },
  };
}
