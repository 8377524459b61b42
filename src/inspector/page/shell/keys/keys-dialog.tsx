import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ActionDialog, CloseButton } from "../../parts/actions/action-dialog.js";
import { keysOfPage, type Keys } from "./page-keys.js";
import "./keys-dialog.css";

/** Lists the keys that do something on the page that is shown, and lets the person turn them off. */
export function KeysDialog({ keys: { areOn, turn, openHelp } }: { readonly keys: Keys }) {
  const [{ hasList, hasSearch }] = useState(keysOfPage);
  const [links] = useState(() => [...document.querySelectorAll<HTMLElement>("header [data-letter]")]);
  return (
    <ActionDialog
      title="Keys"
      sentence="Keys do nothing while you type in a field."
      onClose={() => {
        openHelp(false);
      }}
    >
      {(close) => (
        <>
          <dl class="keys">
            {hasList && (
              <>
                <Key keys={["j", "↓"]}>next entry of the list</Key>
                <Key keys={["k", "↑"]}>entry before it</Key>
                <Key keys={["Enter"]}>open the entry</Key>
              </>
            )}
            {hasSearch && (
              <Key keys={document.querySelector(".thread-search") === null ? ["/"] : ["/", "Ctrl F"]}>
                search
              </Key>
            )}
            {links.map((link) => (
              <Key key={link.dataset.letter} keys={[`g ${link.dataset.letter ?? ""}`]}>
                go to {link.textContent}
              </Key>
            ))}
            <Key keys={["?"]}>show these keys</Key>
            <Key keys={["Esc"]}>close a dialog</Key>
          </dl>
          <label class="keys-switch">
            <input
              type="checkbox"
              checked={areOn}
              onChange={({ currentTarget }) => {
                turn(currentTarget.checked);
              }}
            />
            Letters and signs are keys. Arrows, Enter and Esc always are.
          </label>
          <CloseButton close={close} />
        </>
      )}
    </ActionDialog>
  );
}

interface KeyProps {
  /** The names of keys that do the same. */
  readonly keys: readonly string[];
  readonly children: ComponentChildren;
}

function Key({ keys, children }: KeyProps) {
  return (
    <div>
      <dt>
        {keys.map((key, index) => (
          <span key={key}>
            {index > 0 && " or "}
            <kbd>{key}</kbd>
          </span>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
