import { useState } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import { DownloadLink } from "../../parts/download-link.js";
import { ActionDialog } from "../../parts/actions/action-dialog.js";

/** The forms of a thread as a file, by the names that the server gives to them. */
const FORMS = [
  ["conversation", "Conversation as Markdown", "the messages of the namespace, to read or to paste"],
  [
    "state",
    "State as JSON",
    "all values of the newest checkpoint of the namespace, its metadata and pending writes",
  ],
  ["history", "History", "all checkpoints of all namespaces, as the command import takes them"],
] as const;

interface ExportProps {
  readonly place: NamespacePlace;
}

/** Offers the thread as a file. */
export function ExportAction({ place }: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(true);
        }}
      >
        Export…
      </button>
      {isOpen && (
        <ActionDialog
          title="Export this thread"
          sentence="The file has what is stored now, with personal data and secrets that messages may have."
          onClose={() => {
            setOpen(false);
          }}
        >
          {(close) => (
            <>
              <dl class="export-forms">
                {FORMS.map(([form, name, help]) => (
                  <div key={form}>
                    <dt>
                      <DownloadLink address={exportAddress(place, form)}>{name}</DownloadLink>
                    </dt>
                    <dd class="dim">{help}</dd>
                  </div>
                ))}
              </dl>
              <div class="action-buttons">
                <button type="button" onClick={close}>
                  Close
                </button>
              </div>
            </>
          )}
        </ActionDialog>
      )}
    </>
  );
}

function exportAddress(place: NamespacePlace, form: string): string {
  return `export?${new URLSearchParams({ args: JSON.stringify({ ...place, form }) }).toString()}`;
}
