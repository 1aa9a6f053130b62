/** A row of the Doctor view, free of VS Code types so that tests can read it. */
export interface DoctorNode {
  /** Stable from one report to the next. */
  id: string;
  label: string;
  description?: string;
  icon: string;
  iconColor?: string;
  /** Markdown. */
  tooltip?: string;
  spoken: string;
  /** A shell command that mends the cause: rows that have one offer to copy it and to put it into a terminal. */
  command?: string;
  /** A check: it can be explained and run again. */
  isCheck?: true;
  expanded?: boolean;
  children: DoctorNode[];
}
