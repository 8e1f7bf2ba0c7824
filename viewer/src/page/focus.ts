// Whose a key is: what has the focus may want it for itself.

/** What has a key of its own for nearly everything. */
const TEXT = "textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio]):not([type=button])";
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/**
 * Knows how the focus got where it is. A button that was reached by Tab is pressed by Space and Enter, as everywhere.
 * After a click the focus is on what was clicked, though nobody has put it there: Space plays then, and Enter
 * presses it again.
 */
export class Focus {
  private clicked = false;
  private readonly pressed = (): void => void (this.clicked = true);
  private readonly tabbed = ({ key }: KeyboardEvent): void => {
    this.clicked &&= key !== "Tab";
  };
  /** What was chosen with the pointer is chosen: the list has no use for keys any more. */
  private readonly chosen = ({ target }: Event): void => {
    if (this.clicked && target instanceof HTMLSelectElement) {
      target.blur();
    }
  };
  /** Some browsers press a button when Space is let go. */
  private readonly released = (event: KeyboardEvent): void => {
    if (event.key === " " && this.clicked && event.target instanceof HTMLElement && event.target.matches("button, a")) {
      event.preventDefault();
    }
  };

  constructor() {
    document.addEventListener("pointerdown", this.pressed, true);
    document.addEventListener("keydown", this.tabbed, true);
    document.addEventListener("keyup", this.released);
    document.addEventListener("change", this.chosen);
  }

  /** Whether what has the focus does something of its own with a key. */
  takes({ key, target }: KeyboardEvent): boolean {
    if (!(target instanceof HTMLElement)) {
      return false;
    }
    if (target.matches(TEXT) || target.isContentEditable) {
      return true;
    }
    if (target.matches("input[type=range]")) {
      return SLIDER_KEYS.includes(key);
    }
    return target.matches("button, a, input") && (key === "Enter" || (key === " " && !this.clicked));
  }

  dispose(): void {
    document.removeEventListener("pointerdown", this.pressed, true);
    document.removeEventListener("keydown", this.tabbed, true);
    document.removeEventListener("keyup", this.released);
    document.removeEventListener("change", this.chosen);
  }
}
