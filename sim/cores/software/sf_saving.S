/* Functions for what seldom happens, called so that nothing but t0 changes: who calls them by
 * jal t0 needs no stack for it, and so the usual path through a barrier needs none. */

    .macro saving name, function
    .section .text.sf_barrier.\name, "ax"
    .globl \name
    .type \name, @function
\name:
    addi    sp, sp, -64
    sw      ra, 0(sp)
    sw      t0, 4(sp)
    sw      t1, 8(sp)
    sw      t2, 12(sp)
    sw      t3, 16(sp)
    sw      t4, 20(sp)
    sw      t5, 24(sp)
    sw      t6, 28(sp)
    sw      a0, 32(sp)
    sw      a1, 36(sp)
    sw      a2, 40(sp)
    sw      a3, 44(sp)
    sw      a4, 48(sp)
    sw      a5, 52(sp)
    sw      a6, 56(sp)
    sw      a7, 60(sp)
    call    \function
    lw      ra, 0(sp)
    lw      t0, 4(sp)
    lw      t1, 8(sp)
    lw      t2, 12(sp)
    lw      t3, 16(sp)
    lw      t4, 20(sp)
    lw      t5, 24(sp)
    lw      t6, 28(sp)
    lw      a0, 32(sp)
    lw      a1, 36(sp)
    lw      a2, 40(sp)
    lw      a3, 44(sp)
    lw      a4, 48(sp)
    lw      a5, 52(sp)
    lw      a6, 56(sp)
    lw      a7, 60(sp)
    addi    sp, sp, 64
    jr      t0
    .size \name, . - \name
    .endm

    saving sf_keep_saving, sf_keep
    saving sf_fence_saving, sf_fence
    saving sf_make_room_saving, sf_make_room
    saving sf_take_in_saving, sf_take_in
