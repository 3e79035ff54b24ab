import { EntriesPage } from "../../components/entries-page.tsx";

export default function Page() {
  return <EntriesPage />;
}
