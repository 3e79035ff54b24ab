"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { Toaster } from "sonner";
import { EntriesView } from "./entries-view.tsx";

export function EntriesPage() {
  const [queries] = useState(
    () => new QueryClient({ defaultOptions: { queries: { retry: 1, retryDelay: 500 } } }),
  );
  return (
    <QueryClientProvider client={queries}>
      <EntriesView />
      <Toaster theme="system" position="bottom-right" />
    </QueryClientProvider>
  );
}
