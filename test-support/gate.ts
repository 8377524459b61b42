/** A door that is shut until it is opened: what a test lets others wait at. */
export class Gate {
  /** Resolves when it is opened. */
  readonly opened: Promise<void>;
  /** Opens it for good. */
  readonly open: () => void;

  constructor() {
    let open = (): void => undefined;
    this.opened = new Promise((resolve) => {
      open = resolve;
    });
    this.open = open;
  }
}
