//! Client requests of valgrind, without its headers.
//!
//! Why `unsafe`: a client request is five instructions that do nothing on a processor and that valgrind recognises.
//! No safe function of the language can write them. The memory named is only marked, never read or written.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the client request is written for x86-64 Linux");

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
/// `'M'`, `'C'`, then the number of the request.
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

fn request(code: usize, first: usize, second: usize) -> usize {
    let arguments: [usize; 6] = [code, first, second, 0, 0, 0];
    let mut result = 0usize;
    // SAFETY: rotates `rdi` by 128 bits in all and exchanges `rbx` with itself, so that no register changes but `rdx`,
    // which valgrind sets; only `arguments` is read.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") result,
            in("rax") arguments.as_ptr(),
            options(nostack),
        );
    }
    result
}

/// Whether this process runs under valgrind.
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Marks bytes as undefined: from here on, whatever depends on them is reported where it decides a branch or an address.
pub fn undefine(bytes: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, bytes.as_ptr().addr(), bytes.len());
}

/// Marks a value as defined again, with its padding.
pub fn define<T>(value: &mut T) {
    request(MAKE_MEM_DEFINED, core::ptr::from_mut(value).addr(), size_of::<T>());
}

/// How many reports there have been so far, repeated ones counted.
pub fn reports() -> usize {
    request(COUNT_ERRORS, 0, 0)
}
