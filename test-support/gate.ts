/** A gate that is closed until it is opened, where a test lets others wait. */
export class Gate {
  /** Resolves when the gate is opened. */
  readonly opened: Promise<void>;
  /** Opens the gate for good. */
  readonly open: () => void;

  constructor() {
    let open = (): void => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    this.open = open;
  }
}
