// Decides whether a key is for the page or for the element that has the focus.

/** Elements that use nearly every key. */
const TEXT = "textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio]):not([type=button])";
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/**
 * Knows how the focus got where it is. A button that was reached by Tab is pressed by Space and Enter, as everywhere.
 * After a click the focus is on the clicked element, although the user did not put it there: Space plays then, and
 * Enter presses the element again.
 */
export class Focus {
  private clicked = false;
  private readonly pressed = (): void => void (this.clicked = true);
  private readonly tabbed = ({ key }: KeyboardEvent): void => {
    this.clicked &&= key !== "Tab";
  };
  /** After a choice with the pointer, a list no longer needs the keys. */
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

  /** Whether the element that has the focus uses this key itself. */
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
