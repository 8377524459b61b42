import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/actions/action-button.js";
import { ActionDialog } from "../../parts/actions/action-dialog.js";
import { ActionForm } from "../../parts/actions/action-form.js";
import { JsonField, parseObject } from "../../parts/actions/json-field.js";
import { TextField } from "../../parts/actions/text-field.js";
import { useChange } from "../../parts/actions/use-change.js";
import { navigate } from "../../routes/use-route.js";
import { explainConflict } from "./explain-conflict.js";
import { labelsOf, linkToMemory, namespaceText } from "./memory-links.js";

interface NewItemProps {
  /** The namespace that is shown. */
  readonly prefix: readonly string[];
  readonly writesAsApplication: boolean;
}

/** Stores an item. */
export function NewItemAction(props: NewItemProps) {
  return <ActionButton label="New item…" action="edit" dialog={NewItemDialog} subject={props} />;
}

function NewItemDialog({
  prefix,
  writesAsApplication,
  onClose,
}: NewItemProps & { readonly onClose: () => void }) {
  const [namespace, setNamespace] = useState(namespaceText(prefix));
  const [key, setKey] = useState("");
  const [text, setText] = useState("{}");
  const [ttl, setTtl] = useState("");
  const place = { namespace: labelsOf(namespace), key };
  const change = useChange("createItem", () => {
    navigate(linkToMemory({ item: place }));
  });
  const parsed = parseObject(text);
  const isReady = namespace !== "" && !place.namespace.includes("") && (ttl === "" || Number(ttl) > 0);
  return (
    <ActionDialog
      title="Store an item"
      sentence={
        writesAsApplication
          ? "A new item is stored as the application does it, with the embeddings and the time to live of its store; an item that is there already is not replaced."
          : "A new item is stored as plain JSON, without embeddings; an item that is there already is not replaced."
      }
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit="Store"
          isReady={isReady && parsed.problem === undefined}
          isPending={change.isPending}
          error={explainConflict(change.error, "There is such an item already, so nothing was stored.")}
          onSubmit={() => {
            if (parsed.problem !== undefined) return;
            const lifetime = ttl === "" ? {} : { ttlMinutes: Number(ttl) };
            change.mutate({ ...place, value: parsed.value, ...lifetime }, { onSuccess: close });
          }}
          onCancel={close}
        >
          <TextField
            label="Namespace: labels with periods between them, such as users.7"
            value={namespace}
            onChange={setNamespace}
          />
          <TextField label="Key" value={key} onChange={setKey} />
          <JsonField
            label="Value, as a JSON object"
            text={text}
            problem={parsed.problem}
            onChange={setText}
          />
          <TextField
            type="number"
            label={`Time to live in minutes; empty for ${writesAsApplication ? "that of the store" : "ever"}`}
            value={ttl}
            onChange={setTtl}
          />
        </ActionForm>
      )}
    </ActionDialog>
  );
}
