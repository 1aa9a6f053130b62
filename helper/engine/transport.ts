/** JSON-RPC and pictures over one duplex packet stream: vscode-jsonrpc's reader and writer on top of the codec of helper/protocol. */
import type { Readable, Writable } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  type Logger,
  Message,
  type MessageConnection,
  type MessageReader,
  type MessageStrategy,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import type { FrameInfo } from '../protocol/frames';
import { PacketError, type PictureChunk } from '../protocol/packet';
import { PacketDecoder } from '../protocol/packet-decoder';
import { type ByteSink, PacketSender } from '../protocol/packet-sender';
import { type Picture, PictureAssembler } from '../protocol/picture-assembler';
import { InputGate } from './input-gate';

/** Whoever owns it listens before the first bytes can arrive, that is in the same turn of the event loop. */
class PacketReader extends AbstractMessageReader implements MessageReader {
  #callback: DataCallback | null = null;

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    return { dispose: () => (this.#callback = null) };
  }

  receive(message: Message): void {
    this.#callback?.(message);
  }

  fail(error: Error): void {
    this.fireError(error);
  }

  end(): void {
    this.fireClose();
  }
}

class PacketWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #send: (message: Message) => void;

  constructor(send: (message: Message) => void) {
    super();
    this.#send = send;
  }

  async write(message: Message): Promise<void> {
    this.#send(message);
  }

  end(): void {}
}

export class PacketTransport {
  readonly sender: PacketSender;
  readonly pictures = new PictureAssembler();
  onPicture: (picture: Picture) => void = () => {};
  /** Once: the stream ended, with the error that ended it, if it was one. */
  onEnd: (error?: Error) => void = () => {};
  readonly #reader = new PacketReader();
  readonly #writer = new PacketWriter((message) => this.#sendMessage(message));
  readonly #decoder: PacketDecoder;
  readonly #gate: InputGate;
  #ended = false;

  constructor(input: Readable, output: Writable) {
    this.sender = new PacketSender(sinkOf(output, () => this.#gate.update()));
    const onStall = () => this.#end(new PacketError('The other side does not read any more.'));
    this.#gate = new InputGate(input, () => this.sender.queuedMessageBytes, onStall);
    this.#decoder = new PacketDecoder({
      onJson: (message) => this.#receive(message),
      onChunk: (chunk) => this.#receiveChunk(chunk),
    });
    input.on('data', (bytes: Uint8Array) => this.#push(bytes));
    input.on('end', () => this.#end(this.#decoder.atBoundary ? undefined : new PacketError('The stream ended in the middle of a packet.')));
    input.on('error', (error) => this.#end(error));
    output.on('error', (error) => this.#end(error));
  }

  /** The RPC connection over this stream; it must be made and listen before the first bytes can arrive. */
  connect(logger?: Logger): MessageConnection {
    const handleMessage: MessageStrategy['handleMessage'] = (message, next) => {
      if (!Message.isRequest(message) && !isCancel(message)) this.#gate.leave();
      return next(message);
    };
    return createMessageConnection(this.#reader, this.#writer, logger, { messageStrategy: { handleMessage } });
  }

  /** What came before the stream began, for the message when it never does. */
  get noise(): string {
    return this.#decoder.noise;
  }

  /** A peer that is no engine hangs up at once: what it prints is still read, because it says why. */
  #push(bytes: Uint8Array): void {
    if (this.#ended && this.#decoder.started) return;
    try {
      this.#decoder.push(bytes);
    } catch (error) {
      this.#end(error instanceof Error ? error : new PacketError(String(error)));
    }
  }

  /** `view/frame` goes to the assembler at once: it must be there before its chunks, and the RPC layer delivers later. */
  #receive(message: unknown): void {
    if (this.#ended) return;
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new PacketError('A message is not a JSON-RPC object.');
    const { method, params } = message as { method?: unknown; params?: unknown };
    if (method === 'view/frame') this.pictures.announce(params as FrameInfo);
    else {
      if (!isCancel(message as Message)) this.#gate.enter();
      this.#reader.receive(message as Message);
    }
  }

  #receiveChunk(chunk: PictureChunk): void {
    const picture = this.#ended ? null : this.pictures.add(chunk);
    if (picture) this.onPicture(picture);
  }

  #sendMessage(message: Message): void {
    this.sender.sendJson(message);
    if (Message.isResponse(message)) this.#gate.leave();
  }

  #end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#gate.close();
    this.sender.close();
    if (error) this.#reader.fail(error);
    this.#reader.end();
    this.onEnd(error);
  }
}

/** The RPC layer handles these at once, without its queue. */
function isCancel(message: Message): boolean {
  return Message.isNotification(message) && message.method === '$/cancelRequest';
}

function sinkOf(output: Writable, afterDrain: () => void): ByteSink {
  return {
    write: (bytes) => output.write(bytes),
    onDrain: (resume) =>
      output.on('drain', () => {
        resume();
        afterDrain();
      }),
  };
}
