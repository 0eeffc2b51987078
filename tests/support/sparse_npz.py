"""A sparse matrix as scipy.sparse.save_npz writes it, without SciPy: for tests and fuzz seeds."""
import io
import struct
import zipfile


def npy(descr, shape, values):
    """The bytes of an .npy file; `values` is what struct.pack takes for the type."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    codes = {"i4": "i", "i8": "q", "f4": "f", "f8": "d", "u1": "B", "b1": "?"}
    order = ">" if descr[0] == ">" else "<"
    if descr[1] == "S":
        data = values
    else:
        data = struct.pack(f"{order}{len(values)}{codes[descr[1:]]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def arrays(rows, columns, values="<f8", index="<i4", form=b"csr"):
    """`rows` is a list of lists of (column, value)."""
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    entries = [entry for row in rows for entry in row]
    return {
        "indices": npy(index, f"({len(entries)},)", [c for c, _ in entries]),
        "indptr": npy(index, f"({len(starts)},)", starts),
        "format": npy("|S3", "()", form),
        "shape": npy("<i8", "(2,)", [len(rows), columns]),
        "data": npy(values, f"({len(entries)},)", [v for _, v in entries]),
    }


def archive(members, compressed=True):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as made:
        for name, data in members.items():
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = made.compression
            with made.open(info, "w", force_zip64=True) as member:  # as NumPy does
                member.write(data)
    return out.getvalue()
