import { ENGINE_VERSION } from '../engine/version';
import { PROTOCOL_VERSION } from '../protocol/version';

export const VERSION_TEXT = `seamscope ${ENGINE_VERSION} (protocol ${PROTOCOL_VERSION})`;

export const HELP = `Usage: seamscope COMMAND [OPTIONS]

See, preview, lint and prove the seam where GPU memory crosses between CUDA and Vulkan.

Commands
  devices [--json] [--env NAME=VALUE]...
      List GPUs, CUDA ordinals and Vulkan devices, which of them are the same, and why a partner is missing.
      --env takes a snapshot for another environment, see "Environment" below.
  doctor [--json] [--all] [--env NAME=VALUE]...
      Check drivers, libraries and environment, each cause with its evidence and the command that mends it. --all also shows the
      evidence of what is fine and what does not apply. Exit code 1 when a problem was found. --env as for devices.
  lint PATH... [--format text|json|sarif|github] [--preview] [--rule ID]... [--fix[=suggestion]]
       [--baseline FILE [--write-baseline]] [--strict] [--jobs N]
      Check the code that crosses the seam. Exit code 1 when there are findings, 2 when a file named here could not be checked.
      Functions that do not parse or need too much work, and files below a folder that cannot be read, are named on standard error and in
      the report, and change the exit code only with --strict, to 2.
      The nearest seamscope.json sets levels and own APIs. Files above 2 MiB are not checked.
      --preview turns on the rules whose precision is not yet proven; --rule runs only those named, 'fd/*' being a family.
      --fix writes the safe fixes into the files, --fix=suggestion also those that need a look.
      --baseline leaves out the findings that FILE counts; --write-baseline makes FILE, or takes out of it what is gone.
      --jobs sets the number of threads; without it there are more than one when a run turns out long.
  lint --explain RULE|'FAMILY/*'
      Print the page of a rule, or list the rules of a family; '*' lists all.
  preview --source scene|NAME|files:PATTERN [--output NAME] [--frames N] [--out FILE] [--json] [--wait SECONDS]
          [--device auto|host|UUID] [--size WxH] [--view WxH] [--encoding jpeg|rgba|png] [--rate FPS]
      Run the preview without an editor; print its rate, times and drops; save the last frame at 1:1.
      NAME is that of a program with seamscope.h or seamscope.py; this listens for it, 30 seconds unless --wait says otherwise.
      The first output is taken when none is named. --device and --size are for the built-in scene; with another source
      they are ignored, and that is said.
  seamtest [--json] [--markdown FILE] [--device UUID] [--frames N] [--size WxH] [--quick]
      Prove the hand-off between Vulkan and CUDA on this machine: every way to synchronise, own and share memory, with counts, times and
      teardowns. N frames a run. Exit code 1 when a check failed.
  engine
      Let programs publish to this process; "preview --source NAME" looks at them. Ctrl+C and the end of standard input are its normal
      end, with exit code 0.
  engine --stdio
      Serve a client over stdin and stdout, for example behind "ssh HOST seamscope engine --stdio".

Environment
    --env NAME=VALUE  The drivers see NAME with this value instead of this shell's. May be given several times; of two with one name the last counts.
    --env NAME=       NAME is set, to nothing. For some drivers that is not the same as unset: VK_DRIVER_FILES= hides every Vulkan driver.
    --env NAME        NAME is taken out of the environment.
    The value is everything after the first "=", as it stands: quote what the shell would change, as in
    --env 'VK_DRIVER_FILES=/opt/my drivers/icd.json'. It concerns the drivers only, not the programs of this shell.

  --help      This text.
  --version   Version of the command and of its protocol.

Exit codes: 0 fine, 1 something was found, 2 it could not run, 130 interrupted by Ctrl+C. A reader that goes away changes none of them.`;

/** What HELP says of one command. */
export function commandHelp(name: string): string {
  const [commands = '', rest = ''] = HELP.split('\nCommands\n')[1]?.split('\nEnvironment\n') ?? [];
  const entries = commands.split(/\n(?= {2}\S)/).filter((entry) => entry.startsWith(`  ${name} `) || entry.startsWith(`  ${name}\n`));
  const [, codes = ''] = /\n(Exit codes: .*)$/.exec(HELP) ?? [];
  const usage = `Usage: seamscope ${entries.join('\n').trim()}`;
  const environment = usage.includes('--env') ? [`Environment\n${rest.split('\n\n')[0]}`] : [];
  return [usage, ...environment, codes].join('\n\n');
}
