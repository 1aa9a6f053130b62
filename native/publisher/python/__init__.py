"""Parts of native/publisher/seamscope.py, which scripts/generate-publisher-python.mjs joins in the order of PARTS.

A part is a module of its own here, with names that no other part uses. Between parts there is only
`from .part import name`, and no part rebinds a name that another one imports: joined, all of them are one namespace.
"""

PARTS = (
    "wire", "atomic", "memory", "dtypes", "layout", "kinds", "views", "host_views", "dlpack", "cuda", "cuda_copy",
    "streams", "cuda_views", "torch_views", "host_copy", "rings", "cuda_rings", "making", "slots", "output", "link",
    "messages", "worker", "publisher", "api",
)
