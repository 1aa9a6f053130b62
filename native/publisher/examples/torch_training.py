#!/usr/bin/env python3
"""A training loop of torch: a small network learns a picture, and the preview shows how far it is. With a GPU nothing
leaves it: what is published is copied from GPU memory to GPU memory.
"""

import sys

import seamscope
import torch

SIDE = 256


def target(device):
    """A picture to learn, CHW."""
    line = torch.linspace(-1, 1, SIDE, device=device)
    y, x = torch.meshgrid(line, line, indexing="ij")
    rings = torch.sin(20 * (x * x + y * y).sqrt())
    return torch.stack([rings * 0.5 + 0.5, (x * 4).sin() * 0.5 + 0.5, (y * 4).cos() * 0.5 + 0.5]), torch.stack([x, y], -1)


def encode(position):
    """Sines of the position, so that a small network sees detail."""
    scaled = [position * 2**octave for octave in range(6)]
    return torch.cat([part for each in scaled for part in (each.sin(), each.cos())], -1)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    device = "cuda" if torch.cuda.is_available() else "cpu"
    wanted, position = target(device)
    features = encode(position).reshape(-1, 24)
    net = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    for step in range(steps):
        made = net(features).T.reshape(3, SIDE, SIDE)
        loss = (made - wanted).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        # Reading the loss now and then also keeps the queue of launches from filling up: while it is full the driver lets no
        # other thread in, and a preview that somebody opens takes long to appear.
        if step % 50 == 0:
            print("step %d: loss %.5f" % (step, loss.item()), flush=True)
        # Tensors that need gradients, CHW, float: as they are.
        seamscope.publish("made", made, kind="color", color_space="srgb")
        seamscope.publish("error", (made - wanted).abs().mean(0), kind="tensor")
        seamscope.publish("weights", net[0].weight, kind="tensor")


main()
