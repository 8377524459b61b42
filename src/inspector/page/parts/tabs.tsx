import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import "./tabs.css";

/** A tab, which has an address. */
interface Tab {
  readonly name: string;
  readonly title: string;
  readonly link: string;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the tab that is shown. */
  readonly shown: string;
  /** What stands in the row of the tabs and is about all of them. */
  readonly beside?: ComponentChildren;
  /** What the tab shows. */
  readonly children: ComponentChildren;
}

/** Tabs whose choice is in the address. The arrow keys move between them, and Enter opens one, because opening reads values. */
export function Tabs({ label, tabs, shown, beside, children }: TabsProps) {
  const id = useId();
  return (
    <>
      <div class="tab-bar">
        <div class="tabs" role="tablist" aria-label={label} onKeyDown={moveFocus} tabIndex={-1}>
          {tabs.map(({ name, title, link }) => (
            <a
              key={name}
              id={`${id}-${name}`}
              role="tab"
              href={link}
              aria-selected={name === shown}
              aria-controls={name === shown ? `${id}-panel` : undefined}
              tabIndex={name === shown ? 0 : -1}
              onKeyDown={clickBySpace}
            >
              {title}
            </a>
          ))}
        </div>
        {beside}
      </div>
      <div
        id={`${id}-panel`}
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`${id}-${shown}`}
        tabIndex={0}
      >
        {children}
      </div>
    </>
  );
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  const from = tabs.findIndex((tab) => tab === document.activeElement);
  const targets: Readonly<Record<string, number>> = {
    ...{ ArrowRight: from + 1, ArrowLeft: from - 1 + tabs.length, Home: 0, End: tabs.length - 1 },
  };
  const target = targets[event.key];
  if (target === undefined || from === -1) return;
  event.preventDefault();
  tabs[target % tabs.length]?.focus();
}

function clickBySpace(event: TargetedKeyboardEvent<HTMLElement>): void {
  if (event.key !== " ") return;
  event.preventDefault();
  event.currentTarget.click();
}
